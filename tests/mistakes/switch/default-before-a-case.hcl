# expect: unreachable-case at 4:3 |default| `default` stands before the case `yes`

switch "language" {
  default {
    file.content "a" {
      destination = "a.txt"
    }
  }

  case "true" "yes" {
    file.content "b" {
      destination = "b.txt"
    }
  }
}
