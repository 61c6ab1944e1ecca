# expect: ? at 5:13 |"http"| number

param "port" {
  type    = "number"
  default = "http"
}
