# expect: misplaced-block at 4:3 |cse| `cse` stands directly in a switch

switch "language" {
  cse "true" "yes" {
    file.content "a" {
      destination = "a.txt"
    }
  }
}
