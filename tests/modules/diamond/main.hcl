# Two ways lead from the first task to the last.
#
#      top
#     /   \
#  left   right
#     \   /
#     bottom

task "bottom" {
  check   = "test -f bottom"
  apply   = "cat left right > bottom; echo bottom >> bottom"
  depends = ["task.left", "task.right"]
}

task "right" {
  check   = "test -f right"
  apply   = "(cat top; echo right) > right"
  depends = ["task.top"]
}

task "left" {
  check   = "test -f left"
  apply   = "(cat top; echo left) > left"
  depends = ["task.top"]
}

task "top" {
  check = "test -f top"
  apply = "echo top > top"
}
