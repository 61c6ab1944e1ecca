# expect: not-a-number at 4:1 |param "port"| parameter `port` must be `number`
# run: plan --params-file lib/params.json

param "port" {
  type = "number"
}
