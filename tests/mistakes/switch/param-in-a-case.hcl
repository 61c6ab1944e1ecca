# expect: ? at 5:5 |param| param

switch "language" {
  case "true" "yes" {
    param "name" {
      default = "x"
    }
  }
}
