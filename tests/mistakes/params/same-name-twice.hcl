# expect: ? at 7:1 |param "name"| name

param "name" {
  default = "a"
}

param "name" {
  default = "b"
}
