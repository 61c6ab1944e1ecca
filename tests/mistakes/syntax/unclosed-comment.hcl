# expect: ? at 7:1 |/* not closed| comment

file.content "motd" {
  destination = "motd.txt"
}

/* not closed
