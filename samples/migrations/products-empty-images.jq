# A document a line, and an answer a line: without jq's --unbuffered, it would keep them.
if .fields.imageURL.stringValue == "" then del(.fields.imageURL) else {same: true} end
