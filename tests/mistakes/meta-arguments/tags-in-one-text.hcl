# expect: bad-tag at 5:12 |"web,content"| "web,content" is no tag

task "page" {
  check = "true"
  tags  = ["web,content"]
}
