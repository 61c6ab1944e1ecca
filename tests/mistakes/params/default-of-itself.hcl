# expect: cycle at 4:22 |`name`| `param.name` waits for itself

param "name" {
  default = "{{param `name`}}-2"
}
