# expect: duplicate-case at 10:3 |case "false" "yes"| two cases of this switch are named `yes`

switch "language" {
  case "true" "yes" {
    file.content "a" {
      destination = "a.txt"
    }
  }

  case "false" "yes" {
    file.content "b" {
      destination = "b.txt"
    }
  }
}
