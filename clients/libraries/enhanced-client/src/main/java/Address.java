import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;

/** A map inside a user. */
@DynamoDbBean
public class Address {
    private String city;
    private String zip;

    static Address of(String city, String zip) {
        Address address = new Address();
        address.setCity(city);
        address.setZip(zip);
        return address;
    }

    public String getCity() {
        return city;
    }

    public void setCity(String city) {
        this.city = city;
    }

    public String getZip() {
        return zip;
    }

    public void setZip(String zip) {
        this.zip = zip;
    }
}
