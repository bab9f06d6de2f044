import java.time.Instant;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;

@DynamoDbBean
public class Order extends Entry {
    private String orderId;
    private Instant placed;
    private String status;

    static Order of(String userId, String orderId, Instant placed, String status, long total) {
        Order order = new Order();
        order.setKey("user#" + userId);
        order.setSort("order#" + placed.toString().substring(0, 10) + "#" + orderId);
        order.setKind("order");
        order.setEntity("order#" + orderId);
        order.setEntitySort("order");
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

    public String getOrderId() {
        return orderId;
    }

    public void setOrderId(String orderId) {
        this.orderId = orderId;
    }

    public Instant getPlaced() {
        return placed;
    }

    public void setPlaced(Instant placed) {
        this.placed = placed;
    }

    public String getStatus() {
        return status;
    }

    public void setStatus(String status) {
        this.status = status;
    }
}
