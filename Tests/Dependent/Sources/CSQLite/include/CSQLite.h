int own_version(void);
