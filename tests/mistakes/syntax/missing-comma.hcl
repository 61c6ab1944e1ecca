# expect: ? at 4:22 |"beta"| comma

param "hosts" {
  default = ["alpha" "beta"]
}
