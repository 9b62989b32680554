/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Refuses to start a Spring application with an unknown name under {@code forebay}, and describes
 * invalid values, which Spring Boot finds when it binds a property record.
 */
@NullMarked
package io.forebay.spring.configuration;

import org.jspecify.annotations.NullMarked;
