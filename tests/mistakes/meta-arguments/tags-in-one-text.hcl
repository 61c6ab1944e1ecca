# expect: bad-tag at 5:12 |"web,content"| "web,content" is not a tag

task "page" {
  check = "true"
  tags  = ["web,content"]
}
