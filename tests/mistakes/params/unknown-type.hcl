# expect: ? at 4:13 |"nummber"| nummber

param "port" {
  type    = "nummber"
  default = 80
}
