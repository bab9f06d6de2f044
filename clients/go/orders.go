// Steps 10 to 18 of clients/README.md: collections, indexes and batches, with the SDK's paginators.
package main

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

const (
	ordersTable = "walk-go-orders"
	batchMax    = 25
)

// order is the nth order of a customer. A third is open, the amounts of a customer are 0 to 29, one customer has
// cities.
func order(customer, nth int) item {
	status := "shipped"
	if nth%3 == 0 {
		status = "open"
	}
	order := item{
		"pk":     text(fmt.Sprintf("customer#%d", customer)),
		"sk":     text(fmt.Sprintf("order#%02d", nth)),
		"status": text(status),
		"placed": text(fmt.Sprintf("%02d#%d", nth, customer)),
		"amount": number(fmt.Sprint(nth * 7 % 30)),
		"note":   text(fmt.Sprintf("note %d/%d", customer, nth)),
	}
	if customer == 0 && nth%2 == 0 {
		order["city"] = text("Oslo")
	}
	return order
}

// allOrders are 30 orders of each of four customers, in the order of their keys.
func allOrders() []item {
	var orders []item
	for customer := range 4 {
		for nth := range 30 {
			orders = append(orders, order(customer, nth))
		}
	}
	return orders
}

func ofOne() dynamodb.QueryInput {
	return dynamodb.QueryInput{
		TableName:                 aws.String(ordersTable),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: item{":pk": text("customer#1")},
	}
}

func open() dynamodb.QueryInput {
	return dynamodb.QueryInput{
		TableName:                 aws.String(ordersTable),
		IndexName:                 aws.String("by-status"),
		KeyConditionExpression:    aws.String("#s = :s"),
		ExpressionAttributeNames:  map[string]string{"#s": "status"},
		ExpressionAttributeValues: item{":s": text("open")},
	}
}

// narrowed is the query with a condition more on its sort key.
func narrowed(query dynamodb.QueryInput, condition string, values item) dynamodb.QueryInput {
	query.KeyConditionExpression = aws.String(*query.KeyConditionExpression + " AND " + condition)
	return withValues(query, values)
}

// filtered is the query with a filter.
func filtered(query dynamodb.QueryInput, condition string, values item) dynamodb.QueryInput {
	query.FilterExpression = aws.String(condition)
	return withValues(query, values)
}

func withValues(query dynamodb.QueryInput, values item) dynamodb.QueryInput {
	for name, value := range values {
		query.ExpressionAttributeValues[name] = value
	}
	return query
}

func backwards(query dynamodb.QueryInput) dynamodb.QueryInput {
	query.ScanIndexForward = aws.Bool(false)
	return query
}

func counted(query dynamodb.QueryInput) dynamodb.QueryInput {
	query.Select = types.SelectCount
	return query
}

func reversed(items []item) []item {
	items = slices.Clone(items)
	slices.Reverse(items)
	return items
}

func texts(value item, name string) string { return value[name].(*types.AttributeValueMemberS).Value }

func amount(value item) (amount int) {
	_, err := fmt.Sscan(value["amount"].(*types.AttributeValueMemberN).Value, &amount)
	check(err)
	return amount
}

func where(items []item, holds func(item) bool) (found []item) {
	for _, value := range items {
		if holds(value) {
			found = append(found, value)
		}
	}
	return found
}

// only keeps these attributes of each item.
func only(items []item, names ...string) (projected []item) {
	for _, value := range items {
		kept := item{}
		for _, name := range names {
			kept[name] = value[name]
		}
		projected = append(projected, kept)
	}
	return projected
}

func inKeyOrder(items []item) []item {
	key := func(value item) string { return texts(value, "pk") + texts(value, "sk") }
	items = slices.Clone(items)
	sort.Slice(items, func(i, j int) bool { return key(items[i]) < key(items[j]) })
	return items
}

// pages is what a paginator gave.
type pages struct {
	items          []item
	counts         []int32
	count, scanned int32
	capacity       []float64
	firstKey       item
}

func (p *pages) add(items []item, count, scanned int32, key item, capacity *types.ConsumedCapacity) {
	if p.firstKey == nil {
		p.firstKey = key
	}
	p.items = append(p.items, items...)
	p.counts = append(p.counts, count)
	p.count += count
	p.scanned += scanned
	if capacity != nil {
		p.capacity = append(p.capacity, *capacity.CapacityUnits)
	}
}

func (w walk) query(size int32, query dynamodb.QueryInput) (found pages) {
	paginator := dynamodb.NewQueryPaginator(w.client, &query, func(options *dynamodb.QueryPaginatorOptions) {
		options.Limit = size
	})
	for paginator.HasMorePages() {
		page, err := paginator.NextPage(w.context)
		check(err)
		found.add(page.Items, page.Count, page.ScannedCount, page.LastEvaluatedKey, page.ConsumedCapacity)
	}
	return found
}

func (w walk) scan(size int32, scan dynamodb.ScanInput) (found pages) {
	scan.TableName = aws.String(ordersTable)
	paginator := dynamodb.NewScanPaginator(w.client, &scan, func(options *dynamodb.ScanPaginatorOptions) {
		options.Limit = size
	})
	for paginator.HasMorePages() {
		page, err := paginator.NextPage(w.context)
		check(err)
		found.add(page.Items, page.Count, page.ScannedCount, page.LastEvaluatedKey, page.ConsumedCapacity)
	}
	return found
}

func keySchema(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(sort), KeyType: types.KeyTypeRange},
	}
}

func defined(kind types.ScalarAttributeType, names ...string) (attributes []types.AttributeDefinition) {
	for _, name := range names {
		attributes = append(attributes, types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: kind})
	}
	return attributes
}

func (w walk) createOrders() {
	_, err := w.client.CreateTable(w.context, &dynamodb.CreateTableInput{
		TableName: aws.String(ordersTable),
		AttributeDefinitions: append(defined(types.ScalarAttributeTypeS, "pk", "sk", "status", "placed"),
			defined(types.ScalarAttributeTypeN, "amount")...),
		KeySchema: keySchema("pk", "sk"),
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{{
			IndexName:  aws.String("by-amount"),
			KeySchema:  keySchema("pk", "amount"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("by-status"),
			KeySchema:  keySchema("status", "placed"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
		BillingMode: types.BillingModePayPerRequest,
	})
	check(err)
	waiter := dynamodb.NewTableExistsWaiter(w.client, func(options *dynamodb.TableExistsWaiterOptions) {
		options.MinDelay = time.Second
	})
	check(waiter.Wait(w.context, &dynamodb.DescribeTableInput{TableName: aws.String(ordersTable)}, time.Minute))
}

func (w walk) writeInBatches() {
	for batch := range slices.Chunk(allOrders(), batchMax) {
		var puts []types.WriteRequest
		for _, order := range batch {
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: order}})
		}
		written, err := w.client.BatchWriteItem(w.context, &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{ordersTable: puts},
		})
		check(err)
		equal(len(written.UnprocessedItems), 0)
	}
}

func (w walk) queryTable() {
	orders := allOrders()[30:60]
	found := w.query(7, ofOne())
	equal(found.counts, []int32{7, 7, 7, 7, 2})
	equal(found.items, orders)
	equal(w.query(7, backwards(ofOne())).items, reversed(orders))

	teens := narrowed(ofOne(), "begins_with(sk, :prefix)", item{":prefix": text("order#1")})
	equal(w.query(4, teens).items, orders[10:20])
	limits := item{":from": text("order#05"), ":to": text("order#14")}
	between := narrowed(ofOne(), "sk BETWEEN :from AND :to", limits)
	equal(w.query(4, backwards(between)).items, reversed(orders[5:15]))
}

func (w walk) queryWithFilterAndCount() {
	expensive := filtered(ofOne(), "amount >= :least", item{":least": number("20")})
	found := w.query(7, expensive)
	equal(found.items, where(allOrders()[30:60], func(order item) bool { return amount(order) >= 20 }))
	equal([]int32{found.count, found.scanned}, []int32{10, 30})

	found = w.query(7, counted(expensive))
	equal([]int32{found.count, found.scanned}, []int32{10, 30})
	equal(len(found.items), 0)
}

func (w walk) queryGlobalIndex() {
	byPlaced := where(allOrders(), func(order item) bool { return texts(order, "status") == "open" })
	sort.Slice(byPlaced, func(i, j int) bool { return texts(byPlaced[i], "placed") < texts(byPlaced[j], "placed") })
	found := w.query(9, open())
	equal(found.counts, []int32{9, 9, 9, 9, 4})
	equal(found.items, byPlaced)
	equal(found.firstKey, only(byPlaced[8:9], "pk", "sk", "status", "placed")[0])
	equal(w.query(9, backwards(open())).items, reversed(byPlaced))

	firstTen := narrowed(open(), "begins_with(placed, :prefix)", item{":prefix": text("0")})
	equal(w.query(5, firstTen).items, byPlaced[:16])
	between := narrowed(open(), "placed BETWEEN :from AND :to", item{":from": text("06"), ":to": text("15")})
	equal(w.query(5, between).items, byPlaced[8:20])
	found = w.query(9, counted(filtered(open(), "pk = :pk", item{":pk": text("customer#3")})))
	equal([]int32{found.count, found.scanned}, []int32{10, 40})
}

func (w walk) scanInPagesAndSegments() {
	whole := w.scan(25, dynamodb.ScanInput{})
	equal(whole.counts, []int32{25, 25, 25, 25, 20})
	equal(inKeyOrder(whole.items), allOrders())

	segments := make(chan []item)
	for segment := range int32(3) {
		go func() {
			part := dynamodb.ScanInput{Segment: aws.Int32(segment), TotalSegments: aws.Int32(3)}
			segments <- w.scan(10, part).items
		}()
	}
	var union []item
	for range 3 {
		union = append(union, <-segments...)
	}
	// Disjoint, for together they are as many as there are.
	equal(inKeyOrder(union), allOrders())
}

func (w walk) batchGet() {
	var keys, expected []item
	for nth, order := range allOrders() {
		if nth%3 == 0 {
			expected = append(expected, order)
		}
	}
	for nth := range 5 {
		keys = append(keys, only([]item{order(9, nth)}, "pk", "sk")...)
	}
	keys = append(keys, only(expected, "pk", "sk")...)
	got, err := w.client.BatchGetItem(w.context, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{ordersTable: {Keys: keys, ConsistentRead: aws.Bool(true)}},
	})
	check(err)
	equal(inKeyOrder(got.Responses[ordersTable]), expected)
	equal(len(got.UnprocessedKeys), 0)
}

func (w walk) listTables() {
	paginator := dynamodb.NewListTablesPaginator(w.client, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	var names []string
	for paginator.HasMorePages() {
		page, err := paginator.NextPage(w.context)
		check(err)
		equal(len(page.TableNames) <= 1, true)
		names = append(names, page.TableNames...)
	}
	equal(sort.StringsAreSorted(names), true)
	equal(slices.Contains(names, ordersTable), true)
}

func (w walk) queryLocalIndex() {
	byAmount := allOrders()[30:60]
	sort.Slice(byAmount, func(i, j int) bool { return amount(byAmount[i]) < amount(byAmount[j]) })
	local := ofOne()
	local.IndexName, local.ConsistentRead = aws.String("by-amount"), aws.Bool(true)
	equal(w.query(8, local).items, only(byAmount, "pk", "sk", "amount"))

	local.Select, local.ReturnConsumedCapacity = types.SelectAllAttributes, types.ReturnConsumedCapacityTotal
	found := w.query(8, local)
	equal(found.items, byAmount)
	// The entries of a page are one unit, and each item that is fetched for its note is one more.
	equal(found.capacity, []float64{9, 9, 9, 7})
}

// addAnIndex to a table with items; some of them have its key.
func (w walk) addAnIndex() {
	updated, err := w.client.UpdateTable(w.context, &dynamodb.UpdateTableInput{
		TableName:            aws.String(ordersTable),
		AttributeDefinitions: defined(types.ScalarAttributeTypeS, "city", "placed"),
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{
			Create: &types.CreateGlobalSecondaryIndexAction{
				IndexName: aws.String("by-city"),
				KeySchema: keySchema("city", "placed"),
				Projection: &types.Projection{
					ProjectionType:   types.ProjectionTypeInclude,
					NonKeyAttributes: []string{"amount"},
				},
			},
		}},
	})
	check(err)
	equal(indexStatus(updated.TableDescription, "by-city"), types.IndexStatusCreating)
	w.untilActive("by-city")

	cities := where(allOrders(), func(order item) bool { return order["city"] != nil })
	equal(len(cities), 15)
	inOslo := dynamodb.QueryInput{
		TableName:                 aws.String(ordersTable),
		IndexName:                 aws.String("by-city"),
		KeyConditionExpression:    aws.String("city = :city"),
		ExpressionAttributeValues: item{":city": text("Oslo")},
	}
	equal(w.query(4, inOslo).items, only(cities, "pk", "sk", "city", "placed", "amount"))
}

func indexStatus(table *types.TableDescription, name string) types.IndexStatus {
	for _, index := range table.GlobalSecondaryIndexes {
		if *index.IndexName == name {
			return index.IndexStatus
		}
	}
	panic("no index " + name)
}

func (w walk) untilActive(index string) {
	named := &dynamodb.DescribeTableInput{TableName: aws.String(ordersTable)}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		described, err := w.client.DescribeTable(w.context, named)
		check(err)
		if indexStatus(described.Table, index) == types.IndexStatusActive {
			return
		}
		equal(time.Now().Before(deadline), true)
	}
}

func (w walk) queryErrors() {
	consistent := open()
	consistent.ConsistentRead = aws.Bool(true)
	w.refusedQuery(consistent, "Consistent reads are not supported on global secondary indexes")
	unknown := open()
	unknown.IndexName = aws.String("by-nothing")
	w.refusedQuery(unknown, "The table does not have the specified index: by-nothing")
}

func (w walk) refusedQuery(query dynamodb.QueryInput, message string) {
	_, err := dynamodb.NewQueryPaginator(w.client, &query).NextPage(w.context)
	refusal := refused[smithy.APIError](err)
	equal([]string{refusal.ErrorCode(), refusal.ErrorMessage()}, []string{"ValidationException", message})
}

func (w walk) orders() {
	w.createOrders()
	w.writeInBatches()
	w.queryTable()
	w.queryWithFilterAndCount()
	w.queryGlobalIndex()
	w.scanInPagesAndSegments()
	w.batchGet()
	w.listTables()
	w.queryLocalIndex()
	w.addAnIndex()
	w.queryErrors()
	w.drop(ordersTable)
}
