# expect: misplaced-block at 5:5 |plugin| a case holds only resources, and this is a `plugin`

switch "os" {
  case "true" "linux" {
    plugin "acme" {}
  }
}
