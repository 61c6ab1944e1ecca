# expect: unreachable-case at 10:3 |case "true" "yes"| the case `yes` comes after `default`

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
