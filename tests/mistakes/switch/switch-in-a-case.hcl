# expect: ? at 5:5 |switch| switch

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
