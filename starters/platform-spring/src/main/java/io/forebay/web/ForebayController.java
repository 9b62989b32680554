/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.web.bind.annotation.ResponseBody;

/**
 * A controller of Forebay. It is not a {@code @Controller}: an application's handler mapping does
 * not find it, so what the application configures for its own controllers (interceptors of a {@code
 * WebMvcConfigurer}, CORS, prefixes and patterns of paths) does not apply. A method that names
 * nothing else produces JSON.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ResponseBody
public @interface ForebayController {}
