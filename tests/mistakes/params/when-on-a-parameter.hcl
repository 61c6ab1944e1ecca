# expect: misplaced-argument at 5:3 |when| `when` is for resources, and this is a parameter

param "port" {
  default = 80
  when    = true
}
