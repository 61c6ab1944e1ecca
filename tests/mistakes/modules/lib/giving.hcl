output "title" {
  value = "title.txt"
}
