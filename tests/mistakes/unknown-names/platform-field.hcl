# expect: template at 5:28 |.Os| platform has no field `Os`

file.content "os" {
  destination = "os.txt"
  content     = "{{platform.Os}}\n"
}
