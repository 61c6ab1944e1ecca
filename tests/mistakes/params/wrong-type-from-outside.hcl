# expect: not-a-number at 4:1 |param "port"| parameter `port` must be `number`
# run: plan -p port=http

param "port" {
  type = "number"
}
