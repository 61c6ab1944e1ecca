# expect: ? at 5:28 |.Os| Os

file.content "os" {
  destination = "os.txt"
  content     = "{{platform.Os}}\n"
}
