# expect: unclosed-comment at 7:1 |/*| the comment is not closed

file.content "motd" {
  destination = "motd.txt"
}

/* not closed
