# expect: ? at 4:16 |param `name`| itself

param "name" {
  default = "{{param `name`}}-2"
}
