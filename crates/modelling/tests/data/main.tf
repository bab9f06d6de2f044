resource "aws_dynamodb_table" "orders" {
  name           = "shop-orders"
  billing_mode   = "PROVISIONED"
  read_capacity  = 20
  write_capacity = 40
  hash_key       = "PK"
  range_key      = "SK"

  attribute {
    name = "PK"
    type = "S"
  }
  attribute {
    name = "SK"
    type = "N"
  }
  attribute {
    name = "status"
    type = "S"
  }
  attribute {
    name = "day"
    type = "S"
  }

  global_secondary_index {
    name               = "ByStatus"
    hash_key           = "status"
    projection_type    = "INCLUDE"
    non_key_attributes = ["total"]
    read_capacity      = 5
    write_capacity     = 10
    warm_throughput {
      read_units_per_second  = 12000
      write_units_per_second = 4000
    }
  }
  local_secondary_index {
    name            = "ByDay"
    range_key       = "day"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    enabled        = true
    attribute_name = "gone"
  }
  stream_enabled              = true
  stream_view_type            = "NEW_IMAGE"
  table_class                 = "STANDARD_INFREQUENT_ACCESS"
  deletion_protection_enabled = true
  point_in_time_recovery {
    enabled = true
  }
  server_side_encryption {
    enabled     = true
    kms_key_arn = "arn:aws:kms:eu-west-1:111122223333:key/1"
  }
  warm_throughput {
    read_units_per_second = 13000
  }
}

resource "aws_dynamodb_table" "world" {
  name         = "world"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  attribute {
    name = "id"
    type = "S"
  }
  stream_enabled   = true
  stream_view_type = "NEW_AND_OLD_IMAGES"
  on_demand_throughput {
    max_read_request_units  = 800
    max_write_request_units = -1
  }
  replica {
    region_name      = "eu-central-1"
    consistency_mode = "STRONG"
  }
  replica {
    region_name      = "eu-west-1"
    consistency_mode = "STRONG"
  }
}

resource "aws_dynamodb_vector_index" "text" {
  table_name        = aws_dynamodb_table.world.name
  index_name        = "ByText"
  dimensions        = 128
  distance_function = "COSINE"
  vector_attribute {
    attribute_name = "embedding"
  }
  projection {
    projection_type = "KEYS_ONLY"
  }
  search_schema {
    attribute_name = "city"
    attribute_type = "S"
    type           = "HASH"
  }
}

resource "aws_appautoscaling_target" "reads" {
  service_namespace  = "dynamodb"
  resource_id        = "table/${aws_dynamodb_table.orders.name}"
  scalable_dimension = "dynamodb:table:ReadCapacityUnits"
  min_capacity       = 20
  max_capacity       = 400
}

resource "aws_appautoscaling_policy" "reads" {
  name               = "reads"
  policy_type        = "TargetTrackingScaling"
  resource_id        = aws_appautoscaling_target.reads.resource_id
  scalable_dimension = aws_appautoscaling_target.reads.scalable_dimension
  service_namespace  = aws_appautoscaling_target.reads.service_namespace
  target_tracking_scaling_policy_configuration {
    predefined_metric_specification {
      predefined_metric_type = "DynamoDBReadCapacityUtilization"
    }
    target_value = 60
  }
}

resource "aws_dynamodb_kinesis_streaming_destination" "orders" {
  table_name                               = aws_dynamodb_table.orders.name
  stream_arn                               = "arn:aws:kinesis:eu-west-1:111122223333:stream/orders"
  approximate_creation_date_time_precision = "MICROSECOND"
}

resource "aws_dynamodb_contributor_insights" "orders" {
  table_name = aws_dynamodb_table.orders.name
}

resource "aws_dynamodb_contributor_insights" "status" {
  table_name = aws_dynamodb_table.orders.name
  index_name = "ByStatus"
  mode       = "THROTTLED_KEYS"
}

resource "aws_dynamodb_resource_policy" "orders" {
  resource_arn = aws_dynamodb_table.orders.arn
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Principal = { AWS = "111122223333" }, Action = "dynamodb:GetItem", Resource = "$${not}" }]
  })
}
