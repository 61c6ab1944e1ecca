# expect: ? at 4:3 |cse| cse

switch "language" {
  cse "true" "yes" {
    file.content "a" {
      destination = "a.txt"
    }
  }
}
