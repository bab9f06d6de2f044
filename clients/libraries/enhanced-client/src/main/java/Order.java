import static software.amazon.awssdk.enhanced.dynamodb.mapper.Order.FIRST;
import static software.amazon.awssdk.enhanced.dynamodb.mapper.Order.SECOND;

import java.time.Instant;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondarySortKey;

/** The index gsi3 has keys of several attributes: an order's user and status, then its time and total. */
@DynamoDbBean
public class Order extends Entry {
    private String userId;
    private String orderId;
    private Instant placed;
    private String status;
    private Long total;

    static Order of(String userId, String orderId, Instant placed, String status, long total) {
        Order order = new Order();
        order.setKey("user#" + userId);
        order.setSort("order#" + placed.toString().substring(0, 10) + "#" + orderId);
        order.setKind("order");
        order.setEntity("order#" + orderId);
        order.setEntitySort("order");
        order.setUserId(userId);
        order.setOrderId(orderId);
        order.setPlaced(placed);
        order.setStatus(status);
        order.setTotal(total);
        if (status.equals("pending")) {
            order.setPending("pending");
            order.setPendingSince(placed);
        }
        return order;
    }

    @DynamoDbSecondaryPartitionKey(indexNames = "gsi3", order = FIRST)
    public String getUserId() {
        return userId;
    }

    public void setUserId(String userId) {
        this.userId = userId;
    }

    public String getOrderId() {
        return orderId;
    }

    public void setOrderId(String orderId) {
        this.orderId = orderId;
    }

    @DynamoDbSecondarySortKey(indexNames = "gsi3", order = FIRST)
    public Instant getPlaced() {
        return placed;
    }

    public void setPlaced(Instant placed) {
        this.placed = placed;
    }

    @DynamoDbSecondaryPartitionKey(indexNames = "gsi3", order = SECOND)
    public String getStatus() {
        return status;
    }

    public void setStatus(String status) {
        this.status = status;
    }

    /** A user's orders by what they cost are in lsi1. */
    @DynamoDbSecondarySortKey(indexNames = "lsi1")
    @DynamoDbSecondarySortKey(indexNames = "gsi3", order = SECOND)
    public Long getTotal() {
        return total;
    }

    public void setTotal(Long total) {
        this.total = total;
    }
}
