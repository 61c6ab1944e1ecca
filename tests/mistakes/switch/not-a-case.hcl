# expect: misplaced-block at 4:3 |cse "true" "yes"| `cse` stands directly in a switch

switch "language" {
  cse "true" "yes" {
    file.content "a" {
      destination = "a.txt"
    }
  }
}
