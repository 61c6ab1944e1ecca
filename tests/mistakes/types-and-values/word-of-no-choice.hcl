# expect: ? at 5:17 |"gone"| gone

file.directory "data" {
  destination = "data"
  state       = "gone"
}
