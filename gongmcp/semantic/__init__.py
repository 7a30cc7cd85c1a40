"""Search by meaning, offline: vectors of a model that a package ships, compared with those that a cache keeps.

numpy and the model are loaded when somebody asks for it and not before (``model.py``); they come with the extra
``gongctl[semantic]``. What is stored is made of masked text, by ``gongctl.semantic``.
"""
