import java.util.List;
import java.util.Set;
import software.amazon.awssdk.enhanced.dynamodb.extensions.annotations.DynamoDbAtomicCounter;
import software.amazon.awssdk.enhanced.dynamodb.extensions.annotations.DynamoDbVersionAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;

@DynamoDbBean
public class User extends Entry {
    private String name;
    private String nickname;
    private Set<String> labels;
    private List<Address> addresses;
    private Long changes;
    private Long version;

    static User of(String id, String email, String name) {
        User user = new User();
        user.setKey("user#" + id);
        user.setSort("profile");
        user.setKind("user");
        user.setEntity("email#" + email);
        user.setEntitySort("user");
        user.setName(name);
        return user;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public String getNickname() {
        return nickname;
    }

    public void setNickname(String nickname) {
        this.nickname = nickname;
    }

    public Set<String> getLabels() {
        return labels;
    }

    public void setLabels(Set<String> labels) {
        this.labels = labels;
    }

    public List<Address> getAddresses() {
        return addresses;
    }

    public void setAddresses(List<Address> addresses) {
        this.addresses = addresses;
    }

    /** Counted by the library, with each update. */
    @DynamoDbAtomicCounter
    public Long getChanges() {
        return changes;
    }

    public void setChanges(Long changes) {
        this.changes = changes;
    }

    /** Checked and raised by the library, with each write. */
    @DynamoDbVersionAttribute
    public Long getVersion() {
        return version;
    }

    public void setVersion(Long version) {
        this.version = version;
    }
}
