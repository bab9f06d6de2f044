import java.time.Instant;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondarySortKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSortKey;

/** What all entities of the table have in common: the keys of the table and of its indexes. */
@DynamoDbBean
public class Entry {
    private String key;
    private String sort;
    private String kind;
    private String entity;
    private String entitySort;
    private String pending;
    private Instant pendingSince;

    @DynamoDbPartitionKey
    @DynamoDbAttribute("pk")
    public String getKey() {
        return key;
    }

    public void setKey(String key) {
        this.key = key;
    }

    @DynamoDbSortKey
    @DynamoDbAttribute("sk")
    public String getSort() {
        return sort;
    }

    public void setSort(String sort) {
        this.sort = sort;
    }

    public String getKind() {
        return kind;
    }

    public void setKind(String kind) {
        this.kind = kind;
    }

    /** Overloaded: users by e-mail, orders with their items by the order's number. */
    @DynamoDbSecondaryPartitionKey(indexNames = "gsi1")
    @DynamoDbAttribute("gsi1pk")
    public String getEntity() {
        return entity;
    }

    public void setEntity(String entity) {
        this.entity = entity;
    }

    @DynamoDbSecondarySortKey(indexNames = "gsi1")
    @DynamoDbAttribute("gsi1sk")
    public String getEntitySort() {
        return entitySort;
    }

    public void setEntitySort(String entitySort) {
        this.entitySort = entitySort;
    }

    /** Sparse: only pending orders have the keys of this index. */
    @DynamoDbSecondaryPartitionKey(indexNames = "gsi2")
    @DynamoDbAttribute("gsi2pk")
    public String getPending() {
        return pending;
    }

    public void setPending(String pending) {
        this.pending = pending;
    }

    @DynamoDbSecondarySortKey(indexNames = "gsi2")
    @DynamoDbAttribute("gsi2sk")
    public Instant getPendingSince() {
        return pendingSince;
    }

    public void setPendingSince(Instant pendingSince) {
        this.pendingSince = pendingSince;
    }
}
