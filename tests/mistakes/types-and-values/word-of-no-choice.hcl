# expect: value-not-allowed at 5:17 |"gone"| "gone" is not one of

file.directory "data" {
  destination = "data"
  state       = "gone"
}
