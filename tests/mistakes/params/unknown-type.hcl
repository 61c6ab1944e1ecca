# expect: value-not-allowed at 4:13 |"nummber"| "nummber" is not one of

param "port" {
  type    = "nummber"
  default = 80
}
