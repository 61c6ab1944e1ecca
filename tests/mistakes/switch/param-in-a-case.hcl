# expect: misplaced-block at 5:5 |param "name"| this is a `param`

switch "language" {
  case "true" "yes" {
    param "name" {
      default = "x"
    }
  }
}
