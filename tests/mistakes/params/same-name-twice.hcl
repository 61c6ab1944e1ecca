# expect: duplicate-resource at 7:1 |param "name"| `param.name` is declared twice

param "name" {
  default = "a"
}

param "name" {
  default = "b"
}
