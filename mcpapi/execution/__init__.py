"""The execution of messages: from a message to its response, in one run or with pauses."""
