# expect: ? at 6:13 |<<EOF| heredoc

file.content "motd" {
  destination = "motd.txt"

  content = <<EOF
hello
}
