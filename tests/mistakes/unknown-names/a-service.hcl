# expect: unknown-type at 3:1 |service| unknown resource type `service`

service "nginx" {
  state = "running"
}
