# expect: ? at 5:3 |type| port
# run: plan -p port=http

param "port" {
  type = "number"
}
