// Steps 19 to 24 of clients/README.md: transactions, their tokens and cancellations, and statements.
package main

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	accountsTable = "walk-go-accounts"
	notThere      = "attribute_not_exists(pk)"
)

func account(name, balance string) item { return item{"pk": text(name), "balance": number(balance)} }
func named(name string) item            { return item{"pk": text(name)} }

func put(value item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: aws.String(accountsTable), Item: value}}
}

func get(name string) types.Get {
	return types.Get{TableName: aws.String(accountsTable), Key: named(name)}
}

// transfer is from Ann to Bob, once; one action of each kind, and two updates.
func transfer(amount string) []types.TransactWriteItem {
	amounts := item{":amount": number(amount)}
	fromAnn := types.Update{
		TableName:                           aws.String(accountsTable),
		Key:                                 named("ann"),
		UpdateExpression:                    aws.String("SET balance = balance - :amount"),
		ConditionExpression:                 aws.String("balance >= :amount"),
		ExpressionAttributeValues:           amounts,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	toBob := types.Update{
		TableName:                 aws.String(accountsTable),
		Key:                       named("bob"),
		UpdateExpression:          aws.String("SET balance = balance + :amount"),
		ExpressionAttributeValues: amounts,
	}
	record := put(item{"pk": text("transfer"), "amount": number(amount)})
	record.Put.ConditionExpression = aws.String(notThere)
	notFrozen := types.ConditionCheck{
		TableName: aws.String(accountsTable), Key: named("frozen"), ConditionExpression: aws.String(notThere),
	}
	return []types.TransactWriteItem{
		{Update: &fromAnn},
		{Update: &toBob},
		record,
		{ConditionCheck: &notFrozen},
		{Delete: &types.Delete{TableName: aws.String(accountsTable), Key: named("pending")}},
	}
}

func (w walk) transactions() {
	w.createAccounts()
	w.writeWithAToken()
	w.cancelled()
	w.statements()
	w.transactionsOfStatements()
	w.drop(accountsTable)
}

func (w walk) createAccounts() {
	_, err := w.client.CreateTable(w.context, &dynamodb.CreateTableInput{
		TableName: aws.String(accountsTable),
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema:   []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		BillingMode: types.BillingModePayPerRequest,
	})
	check(err)
	exists := dynamodb.NewTableExistsWaiter(w.client)
	check(exists.Wait(w.context, &dynamodb.DescribeTableInput{TableName: aws.String(accountsTable)}, time.Minute))
	_, err = w.client.TransactWriteItems(w.context, &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{
			put(account("ann", "100")), put(account("bob", "50")), put(named("pending")),
		},
	})
	check(err)
}

// checkBalances reads what the transfer touched: the two balances, its record, and what it deleted.
func (w walk) checkBalances() {
	ann, bob, record, pending := get("ann"), get("bob"), get("transfer"), get("pending")
	ann.ProjectionExpression = aws.String("#b")
	ann.ExpressionAttributeNames = map[string]string{"#b": "balance"}
	bob.ProjectionExpression = aws.String("balance")
	read, err := w.client.TransactGetItems(w.context, &dynamodb.TransactGetItemsInput{
		TransactItems:          []types.TransactGetItem{{Get: &ann}, {Get: &bob}, {Get: &record}, {Get: &pending}},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	check(err)
	equal(read.Responses, []types.ItemResponse{
		{Item: item{"balance": number("70")}},
		{Item: item{"balance": number("80")}},
		{Item: item{"pk": text("transfer"), "amount": number("30")}},
		{},
	})
	equal(read.ConsumedCapacity, []types.ConsumedCapacity{{
		TableName: aws.String(accountsTable), CapacityUnits: aws.Float64(8), ReadCapacityUnits: aws.Float64(8),
	}})
}

func (w walk) transferWithToken(amount string) (*dynamodb.TransactWriteItemsOutput, error) {
	return w.client.TransactWriteItems(w.context, &dynamodb.TransactWriteItemsInput{
		TransactItems:          transfer(amount),
		ClientRequestToken:     aws.String("walk-go-transfer"),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
}

func (w walk) writeWithAToken() {
	ten := aws.Float64(10)
	done, err := w.transferWithToken("30")
	check(err)
	equal(done.ConsumedCapacity, []types.ConsumedCapacity{{
		TableName: aws.String(accountsTable), CapacityUnits: ten, WriteCapacityUnits: ten,
	}})
	w.checkBalances()
	again, err := w.transferWithToken("30")
	check(err)
	equal(again.ConsumedCapacity, []types.ConsumedCapacity{{
		TableName: aws.String(accountsTable), CapacityUnits: ten, ReadCapacityUnits: ten,
	}})
	w.checkBalances()
	_, err = w.transferWithToken("40")
	refused[*types.IdempotentParameterMismatchException](err)
	w.checkBalances()
}

func (w walk) cancelled() {
	_, err := w.client.TransactWriteItems(w.context, &dynamodb.TransactWriteItemsInput{TransactItems: transfer("1000")})
	cancelled := refused[*types.TransactionCanceledException](err)
	equal(cancelled.ErrorMessage(), "Transaction cancelled, please refer cancellation reasons for specific reasons "+
		"[ConditionalCheckFailed, None, ConditionalCheckFailed, None, None]")
	none := types.CancellationReason{Code: aws.String("None")}
	failed := types.CancellationReason{
		Code: aws.String("ConditionalCheckFailed"), Message: aws.String("The conditional request failed"),
	}
	poor := failed
	poor.Item = account("ann", "70")
	equal(cancelled.CancellationReasons, []types.CancellationReason{poor, none, failed, none, none})
	w.checkBalances()
}

func (w walk) statements() {
	insert := &dynamodb.ExecuteStatementInput{
		Statement:  aws.String(`INSERT INTO "` + accountsTable + `" VALUE {'pk': ?, 'balance': ?}`),
		Parameters: []types.AttributeValue{text("eve"), number("5")},
	}
	_, err := w.client.ExecuteStatement(w.context, insert)
	check(err)
	found, err := w.client.ExecuteStatement(w.context, &dynamodb.ExecuteStatementInput{
		Statement:  aws.String(`SELECT balance FROM "` + accountsTable + `" WHERE pk = ?`),
		Parameters: []types.AttributeValue{text("eve")},
	})
	check(err)
	equal(found.Items, []item{{"balance": number("5")}})
	_, err = w.client.ExecuteStatement(w.context, insert)
	refused[*types.DuplicateItemException](err)
}

func (w walk) transactionsOfStatements() {
	statement := func(text string, parameters ...types.AttributeValue) types.ParameterizedStatement {
		return types.ParameterizedStatement{Statement: aws.String(text), Parameters: parameters}
	}
	run := func(statements ...types.ParameterizedStatement) (*dynamodb.ExecuteTransactionOutput, error) {
		return w.client.ExecuteTransaction(w.context, &dynamodb.ExecuteTransactionInput{TransactStatements: statements})
	}
	insert := func(name string) types.ParameterizedStatement {
		return statement(`INSERT INTO "`+accountsTable+`" VALUE {'pk': ?, 'balance': ?}`, text(name), number("1"))
	}
	pay := func(amount, least string) types.ParameterizedStatement {
		const change = ` SET balance = balance + ? WHERE pk = ? AND balance >= ?`
		pay := statement(`UPDATE "`+accountsTable+`"`+change, number(amount), text("eve"), number(least))
		pay.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
		return pay
	}
	read := func(name string) types.ParameterizedStatement {
		return statement(`SELECT balance FROM "`+accountsTable+`" WHERE pk = ?`, text(name))
	}
	_, err := run(insert("fay"), pay("2", "5"))
	check(err)
	found, err := run(read("eve"), read("fay"), read("gil"))
	check(err)
	equal(found.Responses, []types.ItemResponse{
		{Item: item{"balance": number("7")}}, {Item: item{"balance": number("1")}}, {},
	})
	_, err = run(insert("fay"), pay("1", "1000"), insert("gil"))
	cancelled := refused[*types.TransactionCanceledException](err)
	equal(cancelled.ErrorMessage(), "Transaction cancelled, please refer cancellation reasons for specific reasons "+
		"[DuplicateItem, ConditionalCheckFailed, None]")
	equal(cancelled.CancellationReasons, []types.CancellationReason{
		{Code: aws.String("DuplicateItem"), Message: aws.String("Duplicate primary key exists in table")},
		{
			Code:    aws.String("ConditionalCheckFailed"),
			Message: aws.String("The conditional request failed"),
			Item:    account("eve", "7"),
		},
		{Code: aws.String("None")},
	})
	none, err := run(read("gil"))
	check(err)
	equal(none.Responses, []types.ItemResponse{{}})
}
