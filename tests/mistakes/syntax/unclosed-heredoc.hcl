# expect: unclosed-heredoc at 6:13 |<<EOF| the heredoc is not closed

file.content "motd" {
  destination = "motd.txt"

  content = <<EOF
hello
}
