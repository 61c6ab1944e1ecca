# expect: not-a-number at 5:13 |"http"| parameter `port` must be `number`

param "port" {
  type    = "number"
  default = "http"
}
