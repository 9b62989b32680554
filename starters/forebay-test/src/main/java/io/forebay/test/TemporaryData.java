/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives the application of a test queues in memory and a temporary data directory, which is deleted
 * at the end of the tests. The first token and password are not printed. Properties of the test
 * itself take precedence. If the test has a system database, its start fails if the address of that
 * database or of a gateway's database is set elsewhere.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface TemporaryData {}
