"""The grader's side of the box: starts it, talks to it, measures it and believes nothing that it says."""
