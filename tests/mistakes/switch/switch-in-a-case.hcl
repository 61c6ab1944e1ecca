# expect: misplaced-block at 5:5 |switch "inner"| this is a `switch`

switch "outer" {
  case "true" "yes" {
    switch "inner" {
      case "true" "yes" {
        file.content "a" {
          destination = "a.txt"
        }
      }
    }
  }
}
