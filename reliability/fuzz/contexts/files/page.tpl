a view
