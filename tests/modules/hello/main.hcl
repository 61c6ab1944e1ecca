# The smallest useful module: a file, and its permissions.

param "name" {
  default = "world"
}

file.content "hello" {
  destination = "hello.txt"
  content     = "Hello, {{param `name`}}!\n"
}

# Waits for the file, because it looks up where that is.
file.mode "hello" {
  destination = "{{lookup `file.content.hello.destination`}}"
  mode        = 0644
}
