// The walk of clients/README.md with the AWS SDK for Go v2.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sort"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

const table = "walk-go"

type item = map[string]types.AttributeValue

func text(value string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: value} }
func number(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }

func key() item { return item{"pk": text("user#1"), "sk": number("1")} }

func everyType() item {
	every := key()
	every["text"] = text("naïve \U0001F600 \" \\ \u0007")
	every["empty"] = text("")
	every["large"] = number("12345678901234567890123456789012345678")
	every["small"] = number("-0.000012345678901234567890123456789012345678")
	every["binary"] = &types.AttributeValueMemberB{Value: []byte{0, 1, 2, 253, 254, 255}}
	every["yes"] = &types.AttributeValueMemberBOOL{Value: true}
	every["nothing"] = &types.AttributeValueMemberNULL{Value: true}
	every["labels"] = &types.AttributeValueMemberSS{Value: []string{"blue", "green", "red"}}
	every["numbers"] = &types.AttributeValueMemberNS{Value: []string{"1", "2.5"}}
	every["binaries"] = &types.AttributeValueMemberBS{Value: [][]byte{{0}, {255}}}
	every["list"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{text("first"), number("2")}}
	deep := &types.AttributeValueMemberL{Value: []types.AttributeValue{text("deep")}}
	every["nested"] = &types.AttributeValueMemberM{Value: item{"list": deep}}
	every["note"] = text("to be removed")
	every["score"] = number("1")
	every["email"] = text("ann@example.com")
	return every
}

// sortSets gives the sets of an item one order: a set has none.
func sortSets(value item) item {
	for _, attribute := range value {
		switch set := attribute.(type) {
		case *types.AttributeValueMemberSS:
			sort.Strings(set.Value)
		case *types.AttributeValueMemberNS:
			sort.Strings(set.Value)
		case *types.AttributeValueMemberBS:
			sort.Slice(set.Value, func(i, j int) bool { return string(set.Value[i]) < string(set.Value[j]) })
		}
	}
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func equal(found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		panic(fmt.Sprintf("found %#v\nexpected %#v", found, expected))
	}
}

// refused checks that an error is the SDK's own type for it, and gives it back.
func refused[E error](err error) E {
	var typed E
	if !errors.As(err, &typed) {
		panic(fmt.Sprintf("found %v\nexpected %T", err, typed))
	}
	return typed
}

type walk struct {
	context context.Context
	client  *dynamodb.Client
}

func (w walk) create() (*dynamodb.CreateTableOutput, error) {
	attribute := func(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: kind}
	}
	keyElement := func(name string, kind types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: &name, KeyType: kind}
	}
	return w.client.CreateTable(w.context, &dynamodb.CreateTableInput{
		TableName: aws.String(table),
		AttributeDefinitions: []types.AttributeDefinition{
			attribute("pk", types.ScalarAttributeTypeS),
			attribute("sk", types.ScalarAttributeTypeN),
			attribute("email", types.ScalarAttributeTypeS),
		},
		KeySchema: []types.KeySchemaElement{keyElement("pk", types.KeyTypeHash), keyElement("sk", types.KeyTypeRange)},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("by-email"),
			KeySchema:  []types.KeySchemaElement{keyElement("email", types.KeyTypeHash)},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
		BillingMode: types.BillingModePayPerRequest,
		Tags:        []types.Tag{{Key: aws.String("purpose"), Value: aws.String("walk")}},
	})
}

func (w walk) tables() {
	created, err := w.create()
	check(err)
	arn := created.TableDescription.TableArn
	named := &dynamodb.DescribeTableInput{TableName: aws.String(table)}
	waiter := dynamodb.NewTableExistsWaiter(w.client, func(options *dynamodb.TableExistsWaiterOptions) {
		options.MinDelay = time.Second
	})
	check(waiter.Wait(w.context, named, time.Minute))

	described, err := w.client.DescribeTable(w.context, named)
	check(err)
	equal(described.Table.TableStatus, types.TableStatusActive)
	equal(*described.Table.GlobalSecondaryIndexes[0].IndexName, "by-email")
	listed, err := w.client.ListTables(w.context, &dynamodb.ListTablesInput{})
	check(err)
	found := false
	for _, name := range listed.TableNames {
		found = found || name == table
	}
	equal(found, true)
	w.tags(arn)
	w.timeToLive()
}

func (w walk) tags(arn *string) {
	stage := []types.Tag{{Key: aws.String("stage"), Value: aws.String("test")}}
	_, err := w.client.TagResource(w.context, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: stage})
	check(err)
	_, err = w.client.UntagResource(w.context, &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"purpose"}})
	check(err)
	tags, err := w.client.ListTagsOfResource(w.context, &dynamodb.ListTagsOfResourceInput{ResourceArn: arn})
	check(err)
	equal(tags.Tags, stage)
}

func (w walk) timeToLive() {
	_, err := w.client.UpdateTimeToLive(w.context, &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String(table),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(true)},
	})
	check(err)
	ttl, err := w.client.DescribeTimeToLive(w.context, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(table)})
	check(err)
	status := ttl.TimeToLiveDescription.TimeToLiveStatus
	equal(status == types.TimeToLiveStatusEnabled || status == types.TimeToLiveStatusEnabling, true)
}

func (w walk) get() item {
	got, err := w.client.GetItem(w.context, &dynamodb.GetItemInput{
		TableName: aws.String(table), Key: key(), ConsistentRead: aws.Bool(true),
	})
	check(err)
	return got.Item
}

func (w walk) roundTrip() {
	_, err := w.client.PutItem(w.context, &dynamodb.PutItemInput{TableName: aws.String(table), Item: everyType()})
	check(err)
	equal(sortSets(w.get()), sortSets(everyType()))
}

func (w walk) conditionalPut() {
	_, err := w.client.PutItem(w.context, &dynamodb.PutItemInput{
		TableName:                           aws.String(table),
		Item:                                key(),
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	failed := refused[*types.ConditionalCheckFailedException](err)
	equal(failed.ErrorMessage(), "The conditional request failed")
	equal(failed.Item["text"], everyType()["text"])
}

func (w walk) update() {
	updated, err := w.client.UpdateItem(w.context, &dynamodb.UpdateItemInput{
		TableName: aws.String(table),
		Key:       key(),
		UpdateExpression: aws.String("SET #t = :t, visits = if_not_exists(visits, :zero) + :one REMOVE note " +
			"ADD score :five DELETE labels :red"),
		ExpressionAttributeNames: map[string]string{"#t": "text"},
		ExpressionAttributeValues: item{
			":t": text("new"), ":zero": number("0"), ":one": number("1"), ":five": number("5"),
			":red": &types.AttributeValueMemberSS{Value: []string{"red"}},
		},
		ReturnValues: types.ReturnValueUpdatedNew,
	})
	check(err)
	equal(sortSets(updated.Attributes), item{
		"text": text("new"), "visits": number("1"), "score": number("6"),
		"labels": &types.AttributeValueMemberSS{Value: []string{"blue", "green"}},
	})
}

func (w walk) projection() {
	got, err := w.client.GetItem(w.context, &dynamodb.GetItemInput{
		TableName:                aws.String(table),
		Key:                      key(),
		ConsistentRead:           aws.Bool(true),
		ProjectionExpression:     aws.String("#t, nested.#l[0]"),
		ExpressionAttributeNames: map[string]string{"#t": "text", "#l": "list"},
		ReturnConsumedCapacity:   types.ReturnConsumedCapacityTotal,
	})
	check(err)
	equal(got.Item, item{"text": text("new"), "nested": everyType()["nested"]})
	equal(*got.ConsumedCapacity.CapacityUnits, 1.0)
}

func (w walk) remove() {
	deleted, err := w.client.DeleteItem(w.context, &dynamodb.DeleteItemInput{
		TableName: aws.String(table), Key: key(), ReturnValues: types.ReturnValueAllOld,
	})
	check(err)
	equal(deleted.Attributes["score"], number("6"))
	equal(len(w.get()), 0)
}

func (w walk) errors() {
	_, err := w.client.GetItem(w.context, &dynamodb.GetItemInput{TableName: aws.String("walk-missing"), Key: key()})
	refused[*types.ResourceNotFoundException](err)
	_, err = w.create()
	refused[*types.ResourceInUseException](err)
	_, err = w.client.GetItem(w.context, &dynamodb.GetItemInput{
		TableName: aws.String(table), Key: item{"pk": text("user#1")},
	})
	equal(refused[smithy.APIError](err).ErrorCode(), "ValidationException")
}

func (w walk) drop(table string) {
	_, err := w.client.DeleteTable(w.context, &dynamodb.DeleteTableInput{TableName: &table})
	check(err)
	waiter := dynamodb.NewTableNotExistsWaiter(w.client, func(options *dynamodb.TableNotExistsWaiterOptions) {
		options.MinDelay = time.Second
	})
	check(waiter.Wait(w.context, &dynamodb.DescribeTableInput{TableName: &table}, time.Minute))
}

func main() {
	retried := []error{}
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(os.Getenv("HASHRANGE_ENDPOINT")),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
		Retryer:      noting{retry.NewStandard(), &retried},
	})
	w := walk{context.Background(), client}
	w.tables()
	w.roundTrip()
	w.conditionalPut()
	w.update()
	w.projection()
	w.remove()
	w.errors()
	w.drop(table)
	w.orders()
	w.transactions()
	check(errors.Join(retried...))
}

// noting is the SDK's retryer, which also keeps what it lets retry.
type noting struct {
	aws.RetryerV2
	retried *[]error
}

func (n noting) RetryDelay(attempt int, err error) (time.Duration, error) {
	*n.retried = append(*n.retried, err)
	return n.RetryerV2.RetryDelay(attempt, err)
}
