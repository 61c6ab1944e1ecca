-p
value=b
