import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;

@DynamoDbBean
public class OrderItem extends Entry {
    private Integer line;
    private String product;

    static OrderItem of(String orderId, int line) {
        OrderItem item = new OrderItem();
        item.setKey("order#" + orderId);
        item.setSort("item#%03d".formatted(line));
        item.setKind("item");
        item.setEntity(item.getKey());
        item.setEntitySort(item.getSort());
        item.setLine(line);
        item.setProduct("p" + line);
        return item;
    }

    public Integer getLine() {
        return line;
    }

    public void setLine(Integer line) {
        this.line = line;
    }

    public String getProduct() {
        return product;
    }

    public void setProduct(String product) {
        this.product = product;
    }
}
